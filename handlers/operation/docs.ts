import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { overview } from '../../src/http/openapi/overview.ts'
import { page } from '../../src/http/wire/message.ts'

export default endpoint(
  'GET /docs',
  {
    access: 'open',
    scope: 'shared',
    summary: 'Interactive documentation of this API',
    answers: { 200: { type: 'text/html; charset=utf-8', about: 'A page.' } },
  },
  async function docs(_input, { describe }) {
    return page(pageOf(overview(await describe())))
  },
)

/**
 * The viewer takes seconds to start, so the page lists the operations until it has, and docs.js loads it once that is drawn.
 * Paths are relative, so that the page works under a prefix.
 */
function pageOf(operations: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Release Governance Service: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/docs.css">
<script src="docs/docs.js" defer></script>
</head>
<body>
<main id="overview">
${operations}
</main>
<div id="docs" hidden></div>
</body>
</html>
`
}
