import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { keptBody, page } from '../../src/http/wire/message.ts'

export default endpoint({
  route: 'GET /docs',
  access: 'open',
  scope: 'shared',
  summary: 'Interactive documentation of this API',
  answers: { 200: { type: 'text/html; charset=utf-8', about: 'A page.' } },
  handle: async function docs(_input, { describe }) {
    return page(bodyOf(await describe()))
  },
})

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

/** As much of the description as the overview shows. */
interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
}

const bodyOf = keptBody(description => pageOf(htmlOf(JSON.parse(description) as Described)))

/** All operations of a description as HTML, with links as the viewer has them. */
function htmlOf({ info, tags, paths }: Described): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const sections = tags.map(({ name, description }) => {
    const items = operations
      .filter(operation => operation.tags.includes(name))
      .map(
        ({ path, method, operationId, summary }) =>
          `<li><a href="#/${name}/${operationId}"><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code></a> ${escaped(summary)}</li>`,
      )
    return `<h2>${name}</h2>\n<p>${escaped(description)}</p>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return `<h1>${escaped(info.title)} ${escaped(info.version)}</h1>\n<p>${escaped(info.description)}</p>\n${sections.join('\n')}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
