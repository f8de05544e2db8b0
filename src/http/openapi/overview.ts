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

let last: { readonly description: string; readonly html: string } | undefined

/** All operations of a description (JSON text) as HTML, with links as the viewer has them. That of the last one is kept. */
export function overview(description: string): string {
  if (last?.description !== description)
    last = { description, html: htmlOf(JSON.parse(description) as Described) }
  return last.html
}

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
