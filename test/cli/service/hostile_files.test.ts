import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeWorkspace } from '../../support/processes/cli.ts'
import { scaled } from '../../support/scale.ts'

/** Length of one line, bytes. */
const LINE = scaled(2 ** 24, 2 ** 30)
/** Most that a command may hold, whatever it is given, kB: it is 80,000 with nothing to read. */
const MOST_KB = 300_000
/**
 * Writes at its end the peak memory of a command, kB. Not by getrusage: a process that a large one starts begins with
 * the memory of that one (getrusage(2), ru_maxrss).
 */
const REPORT_MEMORY = `
  import { readFileSync } from 'node:fs'
  process.on('exit', () => {
    const held = /VmHWM:[^0-9]*([0-9]+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
    process._rawDebug('held:' + held)
  })`
const MEASURED = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORT_MEMORY)}` }

test.each([
  ['runs ingest', 'line 1 is longer than 4000000 characters. Nothing was ingested.'],
  ['policy set', 'is larger than 1 MB; a document may have 1,000,000 bytes at most.'],
  ['pricing import', 'is larger than 1 MB; a document may have 1,000,000 bytes at most.'],
])(`svc %s refuses a line of ${LINE} characters, and holds little of it`, async (command, refusal) => {
  const workspace = makeWorkspace({})
  await writeLine(workspace.path('line'))
  const { code, stderr } = await workspace.processWith({ env: MEASURED }, ...command.split(' '), 'line')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(refusal) })
  expect(Number(/held:(\d+)/.exec(stderr)![1])).toBeLessThan(MOST_KB)
})

test('svc runs ingest --restored holds little of a file that is packed', async () => {
  const workspace = makeWorkspace({})
  workspace.write('day.jsonl.gz', await packedLine())
  const { code, stderr } = await workspace.processWith(
    { env: MEASURED },
    'runs',
    'ingest',
    'day.jsonl.gz',
    '--restored',
  )
  expect(code).toBe(1)
  expect(Number(/held:(\d+)/.exec(stderr)![1])).toBeLessThan(MOST_KB)
})

async function writeLine(path: string): Promise<void> {
  await pipeline(lineInParts, createWriteStream(path))
}

async function packedLine(): Promise<Buffer> {
  const parts: Buffer[] = []
  await pipeline(lineInParts, createGzip({ level: 1 }), async (packed: AsyncIterable<Buffer>) => {
    for await (const part of packed) parts.push(part)
  })
  return Buffer.concat(parts)
}

/** Never whole: memory of the process that starts a command counts as the command's memory too. */
function* lineInParts(): Generator<Buffer> {
  const part = Buffer.alloc(2 ** 20, 'x')
  for (let written = 0; written < LINE; written += part.length) yield part
  yield Buffer.from('\n')
}
