import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { page } from '../../src/http/wire/message.ts'

export default endpoint(
  'GET /docs',
  {
    access: 'open',
    scope: 'shared',
    summary: 'Interactive documentation of this API',
    answers: { 200: { type: 'text/html; charset=utf-8', about: 'A page.' } },
  },
  async function docs() {
    return page(DOCS)
  },
)

/** Paths are relative, so that the page works under a prefix. */
const DOCS = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Release Governance Service: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/docs.css">
</head>
<body>
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/docs.js"></script>
</body>
</html>
`
