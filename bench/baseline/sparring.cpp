// A plain sparring partner for the standard rules (5 x 6, 12 pieces), the yardstick for playing strength: see docs/match.md.
// Iterative deepening, principal variation search, transposition table, killers, history, late move reductions,
// quiescence over captures, material and mobility. It speaks enough UGI for matches: ugi, isready, uginewgame,
// position startpos|fen F [moves ...], go movetime MS | depth N | nodes N, quit.
//   g++ -O3 -march=native -o sparring sparring.cpp
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using namespace std;
typedef uint32_t u32;
typedef uint64_t u64;
constexpr int R = 5, C = 6, N = 30, MATE = 30000;
constexpr u32 ALL = (1u << N) - 1;
constexpr u32 col(int c) { u32 m = 0; for (int r = 0; r < R; ++r) m |= 1u << (r * C + c); return m; }
constexpr u32 NE1 = ALL & ~col(5), NW1 = ALL & ~col(0), NE2 = NE1 & ~col(4), NW2 = NW1 & ~col(1);
static inline int pop(u32 x) { return __builtin_popcount(x); }
static inline int lsb(u32 x) { return __builtin_ctz(x); }

struct Pos { u32 own = 0, opp = 0; int ho = 12, hp = 12; bool black = false; };
// from (31 = drop), to, mid (31 = none), rem (30 none, 31 from hand)
struct Move { uint8_t from = 31, to = 31, mid = 31, rem = 30; bool operator==(const Move& o) const { return !memcmp(this, &o, 4); } };

static u64 Z[2][N], ZH[2][16], ZS;
static u64 key(const Pos& p) {
    u64 k = p.black ? ZS : 0;
    int a = p.black, b = !a;
    for (u32 x = p.own; x; x &= x - 1) k ^= Z[a][lsb(x)];
    for (u32 x = p.opp; x; x &= x - 1) k ^= Z[b][lsb(x)];
    return k ^ ZH[a][p.ho] ^ ZH[b][p.hp];
}
static Pos play(const Pos& p, Move m) {
    Pos q; q.black = !p.black;
    u32 own = p.own, opp = p.opp; int ho = p.ho, hp = p.hp;
    if (m.from == 31) --ho; else own ^= 1u << m.from;
    own |= 1u << m.to;
    if (m.mid != 31) { opp ^= 1u << m.mid; if (m.rem < 30) opp ^= 1u << m.rem; else if (m.rem == 31) --hp; }
    q.own = opp; q.opp = own; q.ho = hp; q.hp = ho;
    return q;
}
static void captures(const Pos& p, vector<Move>& out) {
    u32 e = ALL & ~(p.own | p.opp);
    auto add = [&](u32 t, int d) {
        for (; t; t &= t - 1) {
            int to = lsb(t), mid = to - d, from = to - 2 * d;
            u32 rest = p.opp & ~(1u << mid);
            if (!rest) { out.push_back({(uint8_t)from, (uint8_t)to, (uint8_t)mid, (uint8_t)(p.hp ? 31 : 30)}); continue; }
            for (u32 x = rest; x; x &= x - 1) out.push_back({(uint8_t)from, (uint8_t)to, (uint8_t)mid, (uint8_t)lsb(x)});
        }
    };
    add(((((p.own & NE2) << 1) & p.opp) << 1) & e, 1);
    add(((((p.own & NW2) >> 1) & p.opp) >> 1) & e, -1);
    add((((p.own << C) & p.opp) << C) & e, C);
    add((((p.own >> C) & p.opp) >> C) & e, -C);
}
static void quiets(const Pos& p, vector<Move>& out) {
    u32 e = ALL & ~(p.own | p.opp);
    auto add = [&](u32 t, int d) { for (; t; t &= t - 1) { int to = lsb(t); out.push_back({(uint8_t)(to - d), (uint8_t)to, 31, 30}); } };
    if (p.ho) for (u32 t = e; t; t &= t - 1) out.push_back({31, (uint8_t)lsb(t), 31, 30});
    add(((p.own & NE1) << 1) & e, 1); add(((p.own & NW1) >> 1) & e, -1); add((p.own << C) & e, C); add((p.own >> C) & e, -C);
}
static int jumps(u32 own, u32 opp) {
    u32 e = ALL & ~(own | opp);
    return pop(((((own & NE2) << 1) & opp) << 1) & e) + pop(((((own & NW2) >> 1) & opp) >> 1) & e) + pop((((own << C) & opp) << C) & e) +
           pop((((own >> C) & opp) >> C) & e);
}
static int eval(const Pos& p) {
    u32 e = ALL & ~(p.own | p.opp);
    auto mob = [&](u32 x) { return pop((((x & NE1) << 1) | ((x & NW1) >> 1) | (x << C) | (x >> C)) & e); };
    int s = 100 * (pop(p.own) + p.ho - pop(p.opp) - p.hp) + 4 * (mob(p.own) - mob(p.opp));
    return s + 10 * (p.ho - p.hp) + 30 * min(2, jumps(p.own, p.opp)) - 60 * min(2, jumps(p.opp, p.own)) + 10;
}

struct Entry { u64 k; Move m; int16_t v; int8_t d, f; };
static vector<Entry> T(1 << 22);
static u64 nodes, node_limit;
static chrono::steady_clock::time_point stop_at;
static bool stopped;
static vector<u64> path;
static Move killer[256][2];
static int hist[2][32][32];

static bool timeup() {
    if (!stopped && ((nodes & 1023) == 0 ? chrono::steady_clock::now() >= stop_at : false)) stopped = true;
    if (node_limit && nodes >= node_limit) stopped = true;
    return stopped;
}
static int quiesce(const Pos& p, int a, int b, int ply) {
    ++nodes;
    if (timeup()) return 0;
    if (!(p.own) && !p.ho) return -MATE + ply;
    int best = eval(p);
    if (best >= b) return best;
    a = max(a, best);
    vector<Move> ms;
    captures(p, ms);
    stable_sort(ms.begin(), ms.end(), [&](const Move& x, const Move& y) { return jumps(p.opp & ~(1u << x.mid) & ~(x.rem < 30 ? 1u << x.rem : 0), p.own) < jumps(p.opp & ~(1u << y.mid) & ~(y.rem < 30 ? 1u << y.rem : 0), p.own); });
    if (ms.size() > 6) ms.resize(6);
    for (auto m : ms) {
        int v = -quiesce(play(p, m), -b, -a, ply + 1);
        if (stopped) return 0;
        if (v > best) best = v;
        if (v > a) a = v;
        if (a >= b) break;
    }
    return best;
}
static int search(const Pos& p, int d, int a, int b, int ply, Move* pv) {
    if (d <= 0) return quiesce(p, a, b, ply);
    ++nodes;
    if (timeup()) return 0;
    if (!p.own && !p.ho) return -MATE + ply;
    u64 k = key(p);
    if (ply && find(path.begin(), path.end(), k) != path.end()) return 0;
    Entry& t = T[k & (T.size() - 1)];
    Move tm; bool has = false;
    if (t.k == k) {
        tm = t.m; has = true;
        int v = t.v > MATE - 300 ? t.v - ply : t.v < -MATE + 300 ? t.v + ply : t.v;
        if (ply && t.d >= d && (t.f == 0 || (t.f > 0 && v >= b) || (t.f < 0 && v <= a))) return v;
    }
    vector<Move> ms;
    captures(p, ms);
    size_t nc = ms.size();
    quiets(p, ms);
    if (ms.empty()) { int x = pop(p.own) + p.ho, y = pop(p.opp) + p.hp; return x > y ? MATE - ply : x < y ? -MATE + ply : 0; }
    vector<pair<int, Move>> o;
    for (size_t i = 0; i < ms.size(); ++i) {
        Move m = ms[i];
        int s = i < nc ? 1000000 - 1000 * jumps(p.opp & ~(1u << m.mid) & ~(m.rem < 30 ? 1u << m.rem : 0), (p.own & ~(1u << m.from)) | 1u << m.to) : hist[p.black][m.from][m.to];
        if (has && m == tm) s = 1 << 30;
        else if (i >= nc && (m == killer[ply][0] || m == killer[ply][1])) s = 900000;
        o.push_back({s, m});
    }
    stable_sort(o.begin(), o.end(), [](auto& x, auto& y) { return x.first > y.first; });
    path.push_back(k);
    int best = -MATE * 2, a0 = a, i = 0;
    Move bm;
    for (auto& [s, m] : o) {
        Pos q = play(p, m);
        int v, r = (d >= 3 && i >= 4 && m.mid == 31) ? 1 + (i > 12) : 0;
        if (i == 0) v = -search(q, d - 1, -b, -a, ply + 1, nullptr);
        else {
            v = -search(q, d - 1 - r, -a - 1, -a, ply + 1, nullptr);
            if (!stopped && v > a && (r || v < b)) v = -search(q, d - 1, -b, -a, ply + 1, nullptr);
        }
        if (stopped) { path.pop_back(); return 0; }
        ++i;
        if (v > best) { best = v; bm = m; if (pv) *pv = m; }
        if (v > a) a = v;
        if (a >= b) {
            if (m.mid == 31) {
                if (!(killer[ply][0] == m)) { killer[ply][1] = killer[ply][0]; killer[ply][0] = m; }
                hist[p.black][m.from][m.to] += d * d;
                if (hist[p.black][m.from][m.to] > 800000) for (auto& x : hist) for (auto& y : x) for (auto& z : y) z /= 2;
            }
            break;
        }
    }
    path.pop_back();
    int sv = best > MATE - 300 ? best + ply : best < -MATE + 300 ? best - ply : best;
    t = {k, bm, (int16_t)sv, (int8_t)d, (int8_t)(best >= b ? 1 : best <= a0 ? -1 : 0)};
    return best;
}
static string sq(int s) { return string(1, char('a' + s % C)) + char('1' + s / C); }
static string text(Move m) {
    if (m.from == 31) return "@" + sq(m.to);
    if (m.mid == 31) return sq(m.from) + "-" + sq(m.to);
    return sq(m.from) + "x" + sq(m.to) + (m.rem < 30 ? "/" + sq(m.rem) : m.rem == 31 ? "/*" : "");
}
static Pos parse(const string& board, const string& side, const string& hands) {
    Pos p; u32 w = 0, b = 0; int r = R - 1, c = 0;
    for (char ch : board) { if (ch == '/') { --r; c = 0; } else if (isdigit(ch)) c += ch - '0'; else { (ch == 'C' ? w : b) |= 1u << (r * C + c); ++c; } }
    int hw = 0, hb = 0; sscanf(hands.c_str(), "%d/%d", &hw, &hb);
    p.black = side == "b"; p.own = p.black ? b : w; p.opp = p.black ? w : b; p.ho = p.black ? hb : hw; p.hp = p.black ? hw : hb;
    return p;
}
int main() {
    u64 s = 88172645463325252ull;
    auto rnd = [&] { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return s; };
    for (auto& x : Z) for (auto& y : x) y = rnd();
    for (auto& x : ZH) for (auto& y : x) y = rnd();
    ZS = rnd();
    Pos p; vector<u64> game; string line;
    while (getline(cin, line)) {
        stringstream in(line); string w; in >> w;
        if (w == "ugi") cout << "id name sparring\nid author baseline\nugiok" << endl;
        else if (w == "isready") cout << "readyok" << endl;
        else if (w == "uginewgame") { fill(T.begin(), T.end(), Entry{}); memset(hist, 0, sizeof hist); }
        else if (w == "position") {
            string k, b, sd, h; in >> k; p = Pos(); game.clear();
            if (k == "fen") { in >> b >> sd >> h; p = parse(b, sd, h); }
            while (in >> k) {
                if (k == "moves") continue;
                vector<Move> ms; captures(p, ms); quiets(p, ms);
                for (auto m : ms) if (text(m) == k) { game.push_back(key(p)); p = play(p, m); break; }
            }
        } else if (w == "go") {
            string k; long ms = 1000; int depth = 60; node_limit = 0;
            while (in >> k) { if (k == "movetime") in >> ms; else if (k == "depth") { in >> depth; ms = 1 << 30; } else if (k == "nodes") { in >> node_limit; ms = 1 << 30; } }
            auto t0 = chrono::steady_clock::now();
            stop_at = t0 + chrono::milliseconds(ms); stopped = false; nodes = 0; path = game;
            memset(killer, 31, sizeof killer);
            vector<Move> all; captures(p, all); quiets(p, all);
            Move best = all.empty() ? Move() : all[0];
            for (int d = 1; d <= depth; ++d) {
                Move m = best; int v = search(p, d, -MATE, MATE, 0, &m);
                if (stopped) break;
                best = m;
                double el = chrono::duration<double>(chrono::steady_clock::now() - t0).count();
                printf("info depth %d score cp %d nodes %llu nps %.0f time %.0f pv %s\n", d, v, (unsigned long long)nodes, nodes / (el + 1e-9), el * 1000, text(m).c_str());
                if (abs(v) > MATE - 300) break;
            }
            printf("bestmove %s\n", text(best).c_str()); fflush(stdout);
        } else if (w == "quit") break;
    }
}
