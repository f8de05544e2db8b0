import { Script } from 'node:vm'
import type { Plugin } from 'rolldown'
import { Visitor, parseSync } from 'rolldown/utils'

/**
 * Writes functions so that V8 compiles them along with their file: in parentheses. Those alone come into the compile
 * cache that Node keeps of a file, as it is filled before any of them has run; all others are compiled again each time
 * that a command runs them. Methods and asynchronous arrow functions can't be written so.
 */
export const eagerFunctions: Plugin = {
  name: 'eager-functions',
  renderChunk: (code, { fileName }) => ({ code: eager(code, fileName), map: null }),
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = withPlainExports(unindented(file.code, file.fileName))
    }
  },
}

/** The same program, so written. Throws where it can't be compiled then. */
export function eager(code: string, fileName: string): string {
  const written = hoisted(parenthesized(code, fileName), fileName)
  void new Script(written, { filename: fileName })
  return written
}

function parenthesized(code: string, fileName: string): string {
  const places: [at: number, put: string][] = []
  new Visitor({
    ArrowFunctionExpression: ({ async, start, end }) => {
      if (!async) places.push([start, '('], [end, ')'])
    },
  }).visit(parsed(code, fileName))
  let [text, at] = ['', 0]
  for (const [place, put] of places.toSorted(([a], [b]) => a - b)) {
    text += code.slice(at, place) + put
    at = place
  }
  return text + code.slice(at)
}

/** Declarations hold from the start of the file on, and so do constants that are there. */
function hoisted(code: string, fileName: string): string {
  let [constants, rest, at] = ['', '', 0]
  for (const node of parsed(code, fileName).body) {
    if (node.type !== 'FunctionDeclaration') continue
    constants += `const ${node.id!.name} = (${code.slice(node.start, node.end)});\n`
    rest += code.slice(at, node.start)
    at = node.end
  }
  return constants + rest + code.slice(at)
}

/** Without the tabs that the bundler writes, a tenth of the text; a template keeps its own. */
function unindented(code: string, fileName: string): string {
  const templates: [start: number, end: number][] = []
  new Visitor({ TemplateElement: ({ start, end }) => void templates.push([start, end]) }).visit(
    parsed(code, fileName),
  )
  let [text, at] = ['', 0]
  for (const [start, end] of templates.toSorted(([a], [b]) => a - b)) {
    text += code.slice(at, start).replaceAll(/^\t+/gm, '') + code.slice(start, end)
    at = end
  }
  return text + code.slice(at).replaceAll(/^\t+/gm, '')
}

/**
 * What a file offers the others as values, where it is constant: the bundler writes a function for each, which V8 would
 * compile when it is first read.
 */
function withPlainExports(code: string): string {
  return code.replaceAll(
    /^Object\.defineProperty\(exports, "(\w+)", \{\nenumerable: true,\nget: function\(\) \{\nreturn ([\w$]+);\n\}\n\}\);$/gm,
    (whole, name: string, value: string) =>
      code.includes(`\nconst ${value} = `) ? `exports.${name} = ${value};` : whole,
  )
}

function parsed(code: string, fileName: string): ReturnType<typeof parseSync>['program'] {
  const { errors, program } = parseSync(fileName, code, { sourceType: 'commonjs', lang: 'js' })
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0]!.message}`)
  return program
}
