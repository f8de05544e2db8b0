import { randomBytes } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { chmod, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { badRequest } from '../base/errors.ts'
import { nearestNames, similarNames } from '../base/text.ts'
import { type Problem, UNKNOWN_FIELD, pathText, problemsText } from '../models/checks.ts'
import { type CheckedName, SHAPES, checkDocument } from '../models/all/check.ts'
import { type KnownFields, knownOf, pathsOf } from '../models/unknown_fields.ts'
import { reasonOf } from '../runtime/node/files.ts'
import { MAX_YAML_BYTES, linesOf, parseYaml, tooLarge } from '../runtime/yaml.ts'

/** Largest file that another program wrote for us to read, bytes. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024

/** Where files that the user named are read from. */
interface Source {
  readonly cwd: string
  /** Read where `-` is named; without it `-` is a file. */
  readonly stdin?: NodeJS.ReadableStream
}

/**
 * The text of a file the user named; `-` is stdin. Throws 400 where it can't be read, isn't UTF-8 or has more than `most`
 * bytes.
 */
export async function readText(path: string, source: Source, most = MAX_YAML_BYTES): Promise<string> {
  return textOf(await readFile(path, source, most), path)
}

/** The bytes of a file, or of stdin for `-`. Throws 400 where it can't be read, and for one that is larger. */
export async function readFile(path: string, { cwd, stdin }: Source, most: number): Promise<Buffer> {
  const stream =
    path === '-' && stdin !== undefined ? stdin : createReadStream(resolve(cwd, path), { end: most })
  const bytes = await readBytes(stream, most).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`${path} can't be read: ${reasonOf(error)}.${fileLike(path, error, cwd)}`, error)
  })
  if (bytes.length > most) throw badRequest(tooLarge(path, most))
  return bytes
}

/** Asks whether a file next to one that isn't there was meant; '' where none is called alike. */
export function fileLike(path: string, { code }: NodeJS.ErrnoException, cwd = ''): string {
  if (code !== 'ENOENT') return ''
  try {
    const [name] = similarNames(basename(path), readdirSync(dirname(resolve(cwd, path))), 1)
    return name === undefined ? '' : ` Did you mean ${join(dirname(path), name)}?`
  } catch {
    return ''
  }
}

/** Throws 400 for what is no UTF-8. */
export function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw badRequest(`${path} is not a UTF-8 text.`, error)
  }
}

/** The bytes of a stream, or of one that is too large as many as show that: a pipe may have no end. */
async function readBytes(stream: NodeJS.ReadableStream, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    parts.push(Buffer.from(part as Buffer))
    bytes += part.length
    if (bytes > most) break
  }
  return Buffer.concat(parts)
}

/**
 * A document of the specification that the user named, as the file has it. It is validated here as well as
 * by the handler, so that the error names the file and what would mend it.
 */
export async function readModel(path: string, source: Source, model: CheckedName): Promise<unknown> {
  const text = await readText(path, source)
  const document = await parseYaml(text, path)
  if (document === null) throw badRequest(`${path} is empty: it has no document.`)
  const checked = await checkDocument(model, document)
  if (checked.ok) return document
  const known = knownOf(await SHAPES[model]()) as KnownFields
  const lineOf = await linesOf(text)
  const problems = checked.problems.map(problem => {
    const line = lineOf(problem.path)
    const where = line === undefined ? '' : ` (line ${line})`
    const hint = hintFor(problem, { known: pathsOf(known, ''), document })
    return { ...problem, message: problem.message + hint + where }
  })
  const other = otherKind(document, model)
  const page = other === '' ? pageOf(model, typeof document === 'object') : ''
  throw badRequest(`${path}: ${problemsText(problems, 'the document')}.${other}${page}`)
}

/** What a document of another kind than was wanted is, and the command that takes it. */
function otherKind(document: unknown, wanted: CheckedName): string {
  const found = KINDS.find(({ field }) => Object.hasOwn(Object(document) as object, field))
  return found === undefined || found.model === wanted ? '' : ` ${found.mend}.`
}

/** That a text is no document at all, and where its format is described. */
function pageOf(model: CheckedName, isDocument: boolean): string {
  const known = PAGES[model]
  if (known === undefined) return ''
  return `${isDocument ? '' : ` This is not a ${known.name}.`} \`svc docs ${known.page}\` has the format.`
}

const PAGES: Partial<Record<CheckedName, { readonly name: string; readonly page: string }>> = {
  Policy: { name: 'policy', page: 'files/policy' },
  PricingTable: { name: 'price table', page: 'files/prices' },
  Release: { name: 'release', page: 'files/release' },
}

/** What tells documents apart: a field that only they have. */
const KINDS: readonly { readonly field: string; readonly model: CheckedName; readonly mend: string }[] = [
  {
    field: 'policy_id',
    model: 'Policy',
    mend: 'This is a policy; set it with `svc policy set PATH`',
  },
  {
    field: 'entries',
    model: 'PricingTable',
    mend: 'This is a price table; import it with `svc pricing import PATH`',
  },
  {
    field: 'spec',
    model: 'Release',
    mend: 'This is a release; register it with `svc release register PATH`',
  },
]

function hintFor(
  problem: Problem,
  { known, document }: { readonly known: readonly string[]; readonly document: unknown },
): string {
  const { path, message } = problem
  if (message === 'must be a string (was a number)')
    return ': put quotes around a number that is text, as in "1.10"'
  const siblingNames = siblings(pathText(path.slice(0, -1)).replaceAll(/\[\d+\]/g, '[]'), known)
  if (message === 'is required') {
    const there = Object.keys(Object(valueAt(document, path.slice(0, -1))) as object)
    const [typed] = similarNames(
      String(path.at(-1)),
      there.filter(name => !siblingNames.includes(name)),
      1,
    )
    return typed === undefined ? '' : ` (${typed} is not a known field)`
  }
  if (message !== UNKNOWN_FIELD) return numberHint(message, valueAt(document, path))
  const meant = nearestNames(String(path.at(-1)), siblingNames)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/** How a number is written that was written otherwise: with a sign of percent or a comma, in percent, in seconds. */
function numberHint(message: string, value: unknown): string {
  const [, number, percent] = /^([\d.,]+) ?(%?)$/.exec(String(value)) ?? []
  if (number === undefined) return ''
  const amount = Number(number.replace(',', '.'))
  if (message.endsWith('(was a string)')) {
    return `: write ${percent === '' ? amount : amount / 100}, a number without quotes, percent sign or comma`
  }
  if (message.startsWith('must be at most 1 (') && amount <= 100) return `: ${amount / 100} is ${amount} %`
  if (message.startsWith('must be an integer'))
    return `: ${Math.round(amount)}, or ${Math.round(amount * 1000)} if these are thousands`
  return ''
}

function valueAt(document: unknown, path: Problem['path']): unknown {
  return path.reduce<unknown>(
    (value, key) => (Object(value) as Record<string | number, unknown>)[key],
    document,
  )
}

/** The fields of `parent`, such as `entries[]`, without its name. */
function siblings(parent: string, known: readonly string[]): string[] {
  const start = parent === '' ? '' : `${parent}.`
  return known
    .filter(path => path.startsWith(start))
    .map(path => path.slice(start.length))
    .filter(name => !name.includes('.'))
}

/**
 * Writes a file whole or not at all: next to its place first, then moved there. Behind a symlink it is the file that
 * is replaced, and what is no file (a device, a pipe) is written to: moving would put a file in its place. `mode` are
 * the rights of a file that is made; one that is replaced keeps its own.
 */
export async function writeWhole(
  path: string,
  text: string,
  { mode }: { mode?: number } = {},
): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && !found.isFile()) return await writeFile(path, text)
    const place = found === undefined ? path : await realpath(path)
    await replaceFile(place, text, mode ?? (found === undefined ? 0o600 : found.mode & 0o777))
  } catch (error) {
    throw badRequest(`${path} can't be written: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  // Made here and by nobody before: a link that was planted under the name would be written through.
  const partial = `${path}.part-${randomBytes(6).toString('hex')}`
  await writeNew(partial, text, mode)
  try {
    // The mask of the process may have taken rights that the file before it had.
    await chmod(partial, mode)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Makes a file, whole or not at all. Throws what the system does, EEXIST where there is one. */
export async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
