import type { Statement } from './models.ts'
import { resolve } from 'node:path'
import { jsonOf } from '../../base/text.ts'
import { open } from './rules_dsse.ts'
import { publicKeyOf } from '../../rules/keys.ts'
import { readStatement } from './rules_statement.ts'
import type { Invocation, Options } from '../../cli/arguments/command.ts'
import { readText } from '../../cli/files.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { bundleChecksum, findBundle } from '../../cli/release/bundle.ts'

/** Checks an attestation without any ledger. */
export async function verifyAttestation({ args, options, io }: Invocation): Promise<number> {
  const name = options.required('key')
  const key = await publicKeyOf(await readText(name, io.cwd), name)
  const opened = await open(jsonOf(await readText(args[0]!, io.cwd)), key)
  const statement = 'payload' in opened ? readStatement(opened.payload) : undefined
  const problems =
    'problem' in opened
      ? [opened.problem]
      : statement === undefined
        ? ['its payload is no verification summary of SLSA']
        : await mismatches(statement, options, io.cwd)
  const verified = problems.length === 0
  if (options.json) {
    io.out(pretty({ verified, problems, ...(statement === undefined ? {} : { statement }) }))
  } else if (verified) {
    const { subject, predicate } = statement!
    io.out(
      `verified ${safe(subject[0]!.name)} ${safe(subject[0]!.digest.sha256)}\n` +
        `${predicate.verificationResult} for ${safe(predicate.resourceUri)} at ${safe(predicate.timeVerified)}, ` +
        `says ${safe(predicate.verifier.id)}\n`,
    )
  } else {
    for (const problem of problems) io.err(`svc: ${safe(args[0]!)}: ${safe(problem)}\n`)
  }
  return verified ? 0 : 1
}

/** What the statement says otherwise than it has to. */
async function mismatches(statement: Statement, options: Options, cwd: string): Promise<string[]> {
  const { subject, predicate } = statement
  const { resourceUri, verificationResult, verifier } = predicate
  const problems: string[] = []
  if (verificationResult !== 'PASSED') problems.push(`the policy did not pass: ${verificationResult}`)
  const path = options.text('path')
  if (path !== undefined) {
    const checksum = await bundleChecksum(await findBundle(resolve(cwd, path)))
    if (subject.every(({ digest }) => digest.sha256 !== checksum)) {
      problems.push(`it is about the bundle ${subject[0]!.digest.sha256}, ${path} has ${checksum}`)
    }
  }
  const [, agent, environment] =
    /^rgs:\/\/[0-9a-f]{32}\/agents\/([^/]+)\/environments\/([^/]+)$/.exec(resourceUri) ?? []
  const about = { agent, env: environment } as const
  for (const [name, said] of Object.entries(about)) {
    const asked = options.text(name)
    if (asked !== undefined && said !== encodeURIComponent(asked)) {
      problems.push(`it is about ${resourceUri}, not --${name} ${asked}`)
    }
  }
  const ledger = options.text('verifier')
  if (ledger !== undefined && verifier.id !== ledger)
    problems.push(`it comes from ${verifier.id}, not ${ledger}`)
  return problems
}
