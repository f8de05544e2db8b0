import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError, badRequest } from '../../base/errors.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { quoted } from '../../cli/terminal/text.ts'
import { FOR_ALL, SCHEMA_PATH, init, writeNew } from '../../cli/workspace/init.ts'
import type { PricedModel } from '../../cli/workspace/release_template.ts'
import { CONFIG_FILE } from '../../runtime/documents.ts'
import { bundledTables } from '../../runtime/node/shipped.ts'
import { ROOT_PATH } from '../../runtime/root.ts'
import { templateText } from './template_text.ts'
import { TEMPLATES, TEMPLATE_NAMES, type TemplateName } from './templates.ts'

const POLICY_FILE = 'policy.yaml'
const DEFAULT_MODEL = 'gpt-4.1-mini'

/** Asks four questions, or takes their answers from flags, and makes a workspace with a policy and a release.yaml. */
export async function guidedInit(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  for (const flag of ['path', 'release']) {
    if (options.text(flag) !== undefined) throw badRequest(`--${flag} can't be used with --guided.`)
  }
  if (options.flag('bundled-pricing') === false) {
    throw badRequest("--no-bundled-pricing can't be used with --guided: the release needs a price.")
  }
  for (const file of [CONFIG_FILE, POLICY_FILE]) {
    const isThere = (await lstat(join(io.cwd, file)).catch(() => undefined)) !== undefined
    if (isThere) throw badRequest(`${file} exists already; it is not changed.`)
  }
  const ask = questions(invocation)
  let purpose: TemplateName
  let agent_id: string
  let environment: string
  let priced: PricedModel
  try {
    agent_id = await ask('agent', 'Which agent?', 'my-agent', folderName)
    const about = TEMPLATE_NAMES.map(name => `${name}: ${TEMPLATES[name].purpose}`).join('; ')
    purpose = await ask('for', `What is the policy for? ${about}.`, 'ci', purposeOf)
    environment = await ask('env', 'In which environment?', purpose === 'ci' ? 'ci' : 'prod', text => text)
    priced = await ask('model', 'Which model?', DEFAULT_MODEL, pricedOf)
  } finally {
    ask.close()
  }
  const code = await init(invocation, { agent_id, environment, priced })
  if (code !== 0) return code
  const schema = await readFile(join(ROOT_PATH, 'schemas/v1/release.schema.json'), 'utf8')
  await writeNew(join(io.cwd, SCHEMA_PATH), schema, true)
  await writeNew(join(io.cwd, POLICY_FILE), templateText(purpose), false, FOR_ALL)
  io.out(`wrote ${POLICY_FILE}\n`)
  const [folder, env] = [quoted(agent_id), quoted(environment)]
  if (purpose === 'low-traffic') {
    io.err(
      'svc: this policy has no limit yet: they are derived from runs. Once there are some: ' +
        `svc policy template --for low-traffic --agent ${folder} --env ${env} > ${POLICY_FILE}\n`,
    )
  }
  io.err('svc: next, put the policy in force, register the release, and make it live:\n')
  io.out(
    `  svc policy set ${POLICY_FILE}\n` +
      `  svc release register ${folder} --env ${env}\n` +
      `  svc release promote 0.1.0 --first --env ${env} --window 24h --reason "first release"\n`,
  )
  return 0
}

/** Takes answers from flags, or asks at a terminal until each can be read. Throws 400 where there is none to ask. */
function questions({ options, io: { stdin, err } }: Invocation) {
  let close = (): void => {}
  let lines: AsyncIterator<string> | undefined
  const nextLine = async (): Promise<string> => {
    if (lines === undefined) {
      const { createInterface } = await import('node:readline')
      const reader = createInterface({ input: stdin })
      lines = reader[Symbol.asyncIterator]()
      close = () => reader.close()
    }
    const { value = '', done = false } = await lines.next()
    if (done) throw badRequest('The questions were not answered; nothing is written.')
    return (value as string).trim()
  }
  /** What a flag says, or else who sits at the terminal, as `read` takes it; Enter takes what is usual. */
  const ask = async <T>(
    flag: string,
    question: string,
    usual: string,
    read: (text: string) => T | Promise<T>,
  ): Promise<T> => {
    const given = options.text(flag)
    if (given !== undefined) return read(given)
    if ((stdin as Partial<NodeJS.ReadStream>).isTTY !== true) {
      if (flag === 'model') return read(usual)
      throw badRequest(`There is no terminal to ask at; add --${flag}, as in --${flag} ${usual}.`)
    }
    for (;;) {
      err(`${question} [${usual}] `)
      const answer = (await nextLine()) || usual
      try {
        return await read(answer)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        err(`svc: ${error.message}\n`)
      }
    }
  }
  return Object.assign(ask, { close: () => close() })
}

function purposeOf(text: string): TemplateName {
  const found = TEMPLATE_NAMES.find(name => name === text)
  if (found === undefined) throw badRequest(`${text} is not one of ${TEMPLATE_NAMES.join(', ')}.`)
  return found
}

/** The folder of its release.yaml is called like the agent. */
function folderName(agent: string): string {
  if (/^[^/\\\0]+$/.test(agent) && !agent.startsWith('.')) return agent
  throw badRequest(
    `--agent ${agent}: its folder has the same name, so it must not contain a slash or begin with a dot.`,
  )
}

async function pricedOf(model: string): Promise<PricedModel> {
  const tables = await bundledTables()
  const table = tables.find(({ entries }) => entries.some(entry => entry.model === model))
  if (table === undefined) {
    throw badRequest(
      `The bundled prices have no model ${model}; choose ${DEFAULT_MODEL}, and change release.yaml later.`,
    )
  }
  return { provider: table.provider, pricing_version: table.pricing_version, model }
}
