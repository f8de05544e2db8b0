import { jsonOf } from '../../src/base/text.ts'
import { type Reply, type RequestLike, page } from '../../src/http/wire/message.ts'

/** An error of sign-in as a page: whoever sees it came by a link, and can only go on by one. */
export function problemPage(error: Reply, { url }: RequestLike): Reply {
  const { detail } = (jsonOf(typeof error.body === 'string' ? error.body : '') ?? {}) as { detail?: unknown }
  const text = typeof detail === 'string' ? detail : 'The address is not one of a sign-in.'
  // Relative, so that it works under a prefix: GET /v1/sign-in/NAME, and …/callback below it.
  const up = new URL(url).pathname.endsWith('/callback') ? '../../../' : '../../'
  const { headers, body } = page(PAGE.replace('{{home}}', up).replace('{{text}}', () => escaped(text)))
  return { status: error.status, headers: { ...error.headers, ...headers }, body }
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign-in failed · Release governance</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: light-dark(#f7f7f8, #0a0b0c); color: light-dark(#18181b, #ececef); }
main { box-sizing: border-box; width: min(32rem, 100% - 2rem); padding: 2rem; border-radius: 6px;
  border: 1px solid light-dark(#e6e6ea, #26282d); background: light-dark(#ffffff, #17181b); }
h1 { margin: 0 0 .75rem; font-size: 1.25rem; }
p { margin: 0 0 1.5rem; overflow-wrap: anywhere; }
a { display: inline-block; padding: .5rem 1rem; border-radius: 6px; text-decoration: none;
  background: light-dark(#3451d1, #93a5ff); color: light-dark(#ffffff, #0f1012); }
</style>
</head>
<body>
<main>
<h1>Sign-in failed</h1>
<p>{{text}}</p>
<a href="{{home}}">Back to the web UI</a>
</main>
</body>
</html>
`
