// A plain recursive bitboard perft of the standard rules: the yardstick of bench/perft.py, which compiles it. By hand:
//   g++ -O3 -march=native -o perft_baseline perft.cpp && ./perft_baseline 7
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <chrono>
typedef uint32_t u32; typedef uint64_t u64;
#define PC __builtin_popcount
constexpr int R=5,C=6,N=30; constexpr u32 ALL=(1u<<30)-1;
constexpr u32 colmask(int c){u32 m=0;for(int r=0;r<R;r++)m|=1u<<(r*C+c);return m;}
constexpr u32 A=colmask(0),B=colmask(1),E=colmask(4),F=colmask(5);
constexpr u32 NE1=ALL&~F, NW1=ALL&~A, NE2=ALL&~(E|F), NW2=ALL&~(A|B);
static inline u64 count(u32 m,u32 o,int hm,int ho){
  u32 e=ALL&~(m|o);
  u64 n = hm? PC(e):0;
  n+=PC(((m&NE1)<<1)&e)+PC(((m&NW1)>>1)&e)+PC((m<<C)&e)+PC((m>>C)&e);
  int k=PC(o); 
  u32 j1=((m&NE2)<<1)&o, j2=((m&NW2)>>1)&o, j3=(m<<C)&o, j4=(m>>C)&o;
  int j=PC((j1<<1)&e)+PC((j2>>1)&e)+PC((j3<<C)&e)+PC((j4>>C)&e);
  int mult = k>1? k-1 : 1; // removal on board, or hand, or none: exactly 1
  return n+(u64)j*mult;
}
static u64 perft(u32 m,u32 o,int hm,int ho,int d){
  if(!(o|ho)|| !(m|hm)) return 0;
  if(d==1) return count(m,o,hm,ho);
  u64 n=0; u32 e=ALL&~(m|o);
  if(hm) for(u32 b=e;b;b&=b-1) n+=perft(o,m|(b&-b),ho,hm-1,d-1);
  #define STEP(EXPR,UN) for(u32 t=(EXPR)&e;t;t&=t-1){u32 b=t&-t; n+=perft(o,(m^(UN))|b,ho,hm,d-1);}
  STEP((m&NE1)<<1,b>>1) STEP((m&NW1)>>1,b<<1) STEP(m<<C,b>>C) STEP(m>>C,b<<C)
  #define JUMP(EXPR,MID,FROM) for(u32 t=(EXPR)&e;t;t&=t-1){u32 b=t&-t; u32 o2=o^(MID), m2=(m^(FROM))|b; \
     if(o2) for(u32 x=o2;x;x&=x-1) n+=perft(o2&~(x&-x),m2,ho,hm,d-1); else n+=perft(0,m2,ho?ho-1:0,hm,d-1);}
  JUMP((((m&NE2)<<1)&o)<<1,b>>1,b>>2) JUMP((((m&NW2)>>1)&o)>>1,b<<1,b<<2)
  JUMP(((m<<C)&o)<<C,b>>C,b>>(2*C)) JUMP(((m>>C)&o)>>C,b<<C,b<<(2*C))
  return n;
}
int main(int c,char**v){int D=atoi(v[1]);for(int d=1;d<=D;d++){auto t=std::chrono::steady_clock::now();u64 n=perft(0,0,12,12,d);double s=std::chrono::duration<double>(std::chrono::steady_clock::now()-t).count();printf("%d %lu %.6fs %.0f M/s\n",d,n,s,n/s/1e6);}}
