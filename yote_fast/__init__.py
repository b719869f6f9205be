from .core import Board, Move
from .rules import *
