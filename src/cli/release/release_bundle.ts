import { join, resolve } from 'node:path'
import type { ReleaseFiles } from '../../models/documents/bundle_files.ts'
import type { Release } from '../../models/documents/release.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'
import { compareTexts } from '../../base/text.ts'
import { modelWarnings } from '../../rules/cost.ts'
import { type Api, callJson, goodJson } from '../service/api.ts'
import { type Bundle, type CanonicalFile, bundleChecksum, findBundle, readCanonical } from './bundle.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { releaseId } from './reference.ts'
import { fetchFiles, fetchRelease } from './release.ts'
import type { Io } from '../terminal/io.ts'
import { counted, pretty, safe } from '../terminal/text.ts'
import { EXIT } from './exit_codes.ts'

export async function register({ args, options, io, api }: Invocation): Promise<number> {
  const { bundle, artifact } = await readBundle(args[0]!, io)
  const { checksum, files } = await readCanonical(bundle, { withTexts: options.flag('store-files') === true })
  const isTooMany = files.size > MOST_FILES
  if (isTooMany) {
    io.err(
      `svc: the bundle has ${files.size} files: only its checksum is stored, not a hash of each (${MOST_FILES} at most)\n`,
    )
  }
  const registered = await callJson(await api(), 'POST /v1/releases', {
    body: {
      artifact,
      checksum,
      environment: options.text('env'),
      ...(options.flag('reuse') === true ? { reuse: true } : {}),
      ...(isTooMany ? {} : { files: Object.fromEntries(files) }),
    },
  })
  for (const warning of registered.warnings) io.err(`svc: ${safe(warning)}\n`)
  if (registered.reused === true) {
    io.err(`svc: registered already, at ${safe(registered.created_at)}; it is reused\n`)
  } else if (registered.same_checksum_as.length > 0) {
    io.err(`svc: the same bundle was registered before as ${safe(registered.same_checksum_as.join(', '))}\n`)
  }
  io.out(options.json ? pretty(registered) : `${safe(registered.release_id)}\n`)
  return 0
}

/** Most files of a release that are listed one by one. */
const MOST_FILES = 1000

/** Says whether a bundle can be registered. It needs no ledger; with --url or --profile, that service says whether its model has a price. */
export async function validate({ args, options, io, api }: Invocation): Promise<number> {
  const { bundle, artifact } = await readBundle(args[0]!, io)
  const hasService = (options.text('url') ?? options.text('profile')) !== undefined
  for (const warning of hasService ? await priceWarnings(artifact, await api()) : []) {
    io.err(`svc: ${safe(warning)}\n`)
  }
  const { metadata, spec } = artifact
  const checksum = await bundleChecksum(bundle)
  const { agent_id } = spec.agent
  const facts = { valid: true, agent_id, version: metadata.version, checksum, files: bundle.paths }
  const files = counted(bundle.paths.length, 'file')
  io.out(
    options.json ? pretty(facts) : `ok ${safe(agent_id)} ${safe(metadata.version)}, ${files}, ${checksum}\n`,
  )
  return 0
}

/** What registration would say of the price table. */
async function priceWarnings({ spec }: Release, api: Api): Promise<string[]> {
  const { provider, pricing_version } = spec.pricing_reference
  const named = { provider, pricing_version, model: spec.runtime.model }
  const answer = await api.send('GET /v1/pricing/{provider}/{pricing_version}', {
    path: { provider, pricing_version },
  })
  return modelWarnings(named, answer.status === 404 ? undefined : goodJson<PricingTable>(answer))
}

interface ReadBundle {
  readonly bundle: Bundle
  readonly artifact: Release
}

/** The bundle that the user named. Throws 400 where its release.yaml isn't valid; notes what it may not mean. */
async function readBundle(path: string, io: Io): Promise<ReadBundle> {
  const bundle = await findBundle(resolve(io.cwd, path))
  const file = join(bundle.root, bundle.releasePath)
  const artifact = (await readModel(file, io, 'Release')) as Release
  warnMissingRefs(artifact, bundle, io.err)
  if (bundle.paths.some(name => name.startsWith('.service/'))) {
    io.err(
      'svc: the bundle contains .service/, so its checksum changes with the ledger; keep release.yaml in a folder of its own\n',
    )
  }
  return { bundle, artifact }
}

/** Prompts and manifests that the release names but the bundle doesn't hold are not part of the checksum. */
function warnMissingRefs({ spec }: Release, { paths, isFolder }: Bundle, err: (text: string) => void): void {
  const mend = isFolder ? '' : ': only this file is registered; give its folder to have both in the checksum'
  const { prompts, tools } = spec
  const refs = [prompts?.system_ref, ...(prompts?.template_refs ?? []), tools?.manifest_ref]
  for (const ref of refs) {
    if (ref != null && !paths.includes(ref.replace(/^\.\//, ''))) {
      err(`svc: the release names ${safe(ref)}, which is not in the bundle${mend}\n`)
    }
  }
}

/**
 * Compares the checksum, and each file where its hash was registered: the checksum has no lengths in it, so the bytes of one
 * file may read like that file and another one.
 */
export async function verify({ args, options, io, api }: Invocation): Promise<number> {
  const bundle = await findBundle(resolve(io.cwd, options.required('path')))
  const opened = await api()
  const release_id = await releaseId(args[0]!, opened, io)
  const { checksum } = await fetchRelease(opened, release_id)
  const { checksum: found, files } = await readCanonical(bundle)
  const differing = differingFiles(await fetchFiles(opened, release_id), files)
  const matches = found === checksum && differing.length === 0
  if (options.json) {
    const differing_files = differing.length === 0 ? {} : { differing_files: differing }
    const facts = { release_id, matches, registered_checksum: checksum, found_checksum: found }
    io.out(pretty({ ...facts, ...differing_files }))
  } else if (matches) io.out(`ok ${safe(checksum)}\n`)
  if (!matches) {
    io.err(
      `svc: the bundle is not what was registered as ${safe(release_id)}\n  registered ${safe(checksum)}\n  found      ${found}\n` +
        differing
          .slice(0, MOST_NAMED)
          .map(path => `  differs    ${safe(path)}\n`)
          .join(''),
    )
  }
  return matches ? EXIT.pass : EXIT.mismatch
}

/** Most files that are named as different. */
const MOST_NAMED = 10

/** The paths of files that only one of the two has, or that they have otherwise. None where none were registered. */
function differingFiles(
  { files: registered }: ReleaseFiles,
  found: ReadonlyMap<string, CanonicalFile>,
): string[] {
  if (registered.length === 0) return []
  const wanted = new Map(registered.map(({ path, sha256 }) => [path, sha256]))
  const paths = new Set([...wanted.keys(), ...found.keys()])
  return [...paths].filter(path => wanted.get(path) !== found.get(path)?.sha256).sort(compareTexts)
}
