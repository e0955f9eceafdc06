"""The two experiments of the thesis that a part of this framework comes from."""
