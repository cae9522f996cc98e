"""The playground: a local page to step through an algorithm and a model side by side, and to edit the instance.

`playground.py` knows what can be asked and answers it, `scene.py` holds one instance with all its steps, `server.py`
brings it to a browser on this machine, `single_page.py` writes a page that needs no server. The page itself is in
`page/`: plain modules of JavaScript, which the browser loads as they are.
"""

from narlab.play.playground import Playground, Start

__all__ = ["Playground", "Start"]
