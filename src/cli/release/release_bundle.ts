import { join, resolve } from 'node:path'
import type { Problem } from '../../models/problems.ts'
import type { Registered, ReleaseDetail } from '../../models/documents/release.ts'
import { callJson } from '../service/api.ts'
import { type Bundle, bundleChecksum, findBundle } from './bundle.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { fetchRelease } from './release.ts'
import { safe } from '../terminal/text.ts'

export async function register({ args, options, io, api }: Invocation): Promise<number> {
  const bundle = await findBundle(resolve(io.cwd, args[0]!))
  const file = join(bundle.root, bundle.releasePath)
  const artifact = await readModel(file, io.cwd, 'Release', quoteHint)
  warnMissingRefs(artifact, bundle, io.err)
  if (bundle.paths.some(path => path.startsWith('.service/'))) {
    io.err(
      'svc: the bundle holds .service/, so its checksum changes with the ledger; keep release.yaml in a folder of its own\n',
    )
  }
  const registered = await callJson<Registered>(await api(), 'POST /v1/releases', {
    body: { artifact, checksum: await bundleChecksum(bundle), environment: options.text('env') },
  })
  for (const warning of registered.warnings) io.err(`svc: ${safe(warning)}\n`)
  if (registered.same_checksum_as.length > 0) {
    io.err(`svc: the same bundle was registered before as ${registered.same_checksum_as.join(', ')}\n`)
  }
  io.out(`${registered.release_id}\n`)
  return 0
}

function quoteHint(problems: readonly Problem[]): string {
  return problems.some(({ message }) => message === 'must be a string (was a number)')
    ? '; quote a number that is a text, such as version: "1.10"'
    : ''
}

/** Prompts and manifests that the release names but the bundle doesn't hold are not part of the checksum. */
function warnMissingRefs(artifact: unknown, { paths, isFolder }: Bundle, err: (text: string) => void): void {
  if (!isFolder) return
  const { prompts, tools } = (artifact as ReleaseDetail['artifact_json']).spec
  const refs = [prompts?.system_ref, ...(prompts?.template_refs ?? []), tools?.manifest_ref]
  for (const ref of refs) {
    if (ref != null && !paths.includes(ref.replace(/^\.\//, ''))) {
      err(`svc: the release names ${safe(ref)}, which is not in the bundle\n`)
    }
  }
}

/** Exit code of a bundle that is not what was registered. */
const MISMATCH = 2

export async function verify({ args, options, io, api }: Invocation): Promise<number> {
  const bundle = await findBundle(resolve(io.cwd, options.required('path')))
  const { checksum } = await fetchRelease(await api(), args[0]!)
  const found = await bundleChecksum(bundle)
  if (found === checksum) {
    io.out(`ok ${checksum}\n`)
    return 0
  }
  io.err(
    `svc: the bundle is not what was registered as ${args[0]}\n  registered ${checksum}\n  found      ${found}\n`,
  )
  return MISMATCH
}
