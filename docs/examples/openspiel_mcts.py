"""OpenSpiel's Monte Carlo tree search plays a small game against this package's engine.

Shows: the games in OpenSpiel, moves by number, Engine.play. Needs OpenSpiel: pip install yote-fast[rl]
"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import yote_fast as yf
import yote_fast.adapters.openspiel

SIMULATIONS = 25
game = pyspiel.load_game("yote(rows=4,cols=4,pieces=5)")
chance = np.random.RandomState(1)
searcher = mcts.MCTSBot(
    game, uct_c=1.4, max_simulations=SIMULATIONS, evaluator=mcts.RandomRolloutEvaluator(random_state=chance), random_state=chance
)
engine = yf.Engine(hash_mb=1)

state = game.new_initial_state()
while not state.is_terminal():
    if state.current_player() == 0:
        action = searcher.step(state)
    else:
        move = engine.play(state.board, yf.Limit(nodes=1000)).move
        action = game.actions.action_number(move)
    state.apply_action(action)

print(" ".join(map(str, state.board.move_stack)))
print(f"MCTS {state.returns()[0]:+.0f}, engine {state.returns()[1]:+.0f}: {state.board.result()}")
