import type { Invocation } from '../../cli/arguments/command.ts'
import { answerLine } from './protocol.ts'
import { READING, WRITING } from './tools.ts'

/** Longest request, characters. */
const MOST_CHARS = 1024 * 1024

/** Answers requests, a line each, one after the other, until stdin ends. stdout carries nothing else. */
export async function mcp({ options, io, api, version }: Invocation): Promise<number> {
  const tools = options.flag('allow-writes') === true ? { ...READING, ...WRITING } : READING
  const world = { tools, version, call: { api, io } }
  let rest = ''
  io.stdin.setEncoding('utf8')
  for await (const chunk of io.stdin) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const answer = line.trim() === '' ? undefined : await answerLine(line, world)
      if (answer !== undefined) io.out(`${JSON.stringify(answer)}\n`)
    }
    if (rest.length > MOST_CHARS) {
      io.err(`svc: a request has more than ${MOST_CHARS} characters\n`)
      return 1
    }
  }
  return 0
}
