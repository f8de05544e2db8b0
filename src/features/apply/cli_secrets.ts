import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { safe } from '../../cli/terminal/text.ts'
import { reasonOf } from '../../runtime/node/files.ts'

/** A new webhook or token. */
interface Owner {
  readonly kind: string
  readonly name: string
}

/** Takes the secrets of new webhooks and tokens. */
interface SecretStore {
  readonly keep: (owner: Owner, secret: string) => Promise<void>
  readonly close: () => Promise<void>
  /** Those that the JSON answer shows. */
  readonly shown: ReadonlyMap<Owner, string>
}

/**
 * Opens what takes the secrets of `owners`: the file at `path`, or the terminal. Throws 400 where there is neither, since
 * the log of a job would keep what is printed, and where the file can't be written or others can read it.
 */
export async function secretStore(
  owners: readonly Owner[],
  { path, io, isJson }: { path: string | undefined; io: Io; isJson: boolean },
): Promise<SecretStore> {
  if (owners.length > 0 && path !== undefined) return fileStore(path, io.cwd)
  if (owners.length > 0 && !io.outIsTty) {
    const names = owners.map(({ kind, name }) => `${kind} ${name}`).join(', ')
    throw badRequest(
      `Nothing was changed: new secrets (${names}) are printed only in a terminal. Add --secrets FILE to write them to a file that only you can read.`,
    )
  }
  const shown = new Map<Owner, string>()
  return {
    async keep(owner, secret) {
      if (isJson) shown.set(owner, secret)
      else io.out(`secret of ${owner.kind} ${safe(owner.name)}, shown this once: ${safe(secret)}\n`)
    },
    async close() {},
    shown,
  }
}

/** A JSON object per line, after those of an earlier attempt. */
async function fileStore(name: string, cwd: string): Promise<SecretStore> {
  const file = await open(resolve(cwd, name), 'a', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`${name} can't be written: ${reasonOf(error)}.`, error)
  })
  const found = await file.stat()
  if (!found.isFile() || (found.mode & 0o077) !== 0) {
    await file.close()
    throw badRequest(
      found.isFile()
        ? `Nothing was changed: others can read ${name}. Run \`chmod 600 ${name}\`, or name a new file.`
        : `Nothing was changed: ${name} is not a file.`,
    )
  }
  return {
    async keep({ kind, name: owner }, secret) {
      await file.appendFile(`${JSON.stringify({ kind, name: owner, secret })}\n`)
      await file.sync()
    },
    close: () => file.close(),
    shown: new Map(),
  }
}
