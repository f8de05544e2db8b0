import { pretty } from '../terminal/text.ts'
import type { Invocation } from './command.ts'

export async function version({ options, io, version: text }: Invocation): Promise<number> {
  io.out(options.json ? pretty({ version: text }) : `${text}\n`)
  return 0
}
