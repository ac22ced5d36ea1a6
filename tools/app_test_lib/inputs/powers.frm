#-
S a,b,c,d,e;
L F = (a+b+c+d+e)^24;
.sort
id a = b + c;
id d = 2*b - e;
.sort
id c = 1;
id b = 3;
Print;
.end
