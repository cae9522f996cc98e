// Where scenes come from: the server that sent this page, or the page itself if it was written as one file.

/** What there is to choose from, and `scene(request)`. */
export async function openSource() {
  const inside = document.getElementById("content");
  if (inside) return { ...JSON.parse(inside.textContent), isLive: false };
  const content = await ask("ask/start");
  return { ...content, isLive: true, scene: (request) => ask("ask/scene", request) };
}

/** An answer of the server; an `Error` with its one line if it refuses. */
async function ask(path, request) {
  const options = request && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer; is `narlab play` still running?");
  }
  const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}
