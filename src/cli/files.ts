import { createReadStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { refused } from '../base/errors.ts'
import type { Problem } from '../models/problems.ts'
import { type ModelName, checkDocument } from '../models/index.ts'
import { reasonOf } from '../runtime/node/files.ts'
import { MAX_YAML_BYTES, parseYaml, tooLarge } from '../runtime/yaml.ts'

/** The text of a file the user named. Throws 400 where it can't be read or isn't UTF-8. */
async function readText(path: string, cwd: string): Promise<string> {
  const bytes = await readBytes(resolve(cwd, path)).catch((error: NodeJS.ErrnoException) => {
    throw refused(`${path} can't be read: ${reasonOf(error)}.`, error)
  })
  if (bytes.length > MAX_YAML_BYTES) throw refused(tooLarge(path))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw refused(`${path} is not a UTF-8 text.`, error)
  }
}

/** The bytes of a file, or of one that is too large as many as show that: a pipe may have no end. */
async function readBytes(file: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(file, { end: MAX_YAML_BYTES })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** A YAML (or JSON) document the user named. */
async function readDocument(path: string, cwd: string): Promise<unknown> {
  return parseYaml(await readText(path, cwd), path)
}

/**
 * A document of the specification that the user named, as it stands in the file. It is validated here as well as
 * by the handler, so that the error names the file; `hint` adds what would mend it.
 */
export async function readModel(
  path: string,
  cwd: string,
  model: ModelName,
  hint: (problems: readonly Problem[]) => string = () => '',
): Promise<unknown> {
  const document = await readDocument(path, cwd)
  const checked = await checkDocument(model, document)
  if (checked.ok) return document
  const { problemsText } = await import('../models/problems.ts')
  throw refused(`${path}: ${problemsText(checked.problems, 'the document')}${hint(checked.problems)}.`)
}

/**
 * Writes a file whole or not at all: beside its place first, then moved there. Behind a symlink it is the file that
 * is replaced, and what is no file (a device, a pipe) is written to: moving would put a file in its place.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && !found.isFile()) return await writeTo(path, text)
    await replaceFile(found === undefined ? path : await realpath(path), text)
  } catch (error) {
    throw refused(`${path} can't be written: ${reasonOf(error as NodeJS.ErrnoException)}.`, error)
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.part-${process.pid}`
  try {
    await writeTo(beside, text, { sync: true })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

async function writeTo(path: string, text: string, { sync = false } = {}): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(text)
    if (sync) await file.sync()
  } finally {
    await file.close()
  }
}
