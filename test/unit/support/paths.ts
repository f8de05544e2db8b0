type Container = Record<string | number, unknown>

/** A copy of a document with another value at a path such as `usage.tools[0].tool_name`. */
export function withValue(document: object, path: string, value: unknown): object {
  return edited(document, path, (parent, key) => {
    parent[key] = value
  })
}

/** A copy of a document without what is at a path, where there is anything. */
export function without(document: object, path: string): object {
  const parent = path.replace(/\.?[^.]+$/, '')
  if (parent !== '' && valueAt(document, parent) === undefined) return document
  return edited(document, path, (of, key) => {
    delete of[key]
  })
}

/** What is at a path, undefined where nothing is. */
export function valueAt(document: unknown, path: string): unknown {
  return keysOf(path).reduce<unknown>((value, key) => (value as Container | undefined)?.[key], document)
}

function edited(document: object, path: string, edit: (parent: Container, key: string) => void): object {
  const copy = structuredClone(document)
  const keys = keysOf(path)
  const last = keys.pop()!
  edit(
    keys.reduce<Container>((value, key) => value[key] as Container, copy as Container),
    last,
  )
  return copy
}

function keysOf(path: string): string[] {
  return path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
}
