import { promises } from 'node:fs'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import type { Signer } from '../../rules/keys.ts'
import type { Environment } from '../environment.ts'
import { othersMayRead, reasonOf } from './files.ts'

/** The key of SERVICE_SIGNING_KEY, which is PEM or names a file. Throws 400 where it is neither. */
export async function readSigner(
  folder: string,
  { signingKey }: Pick<Environment, 'signingKey'>,
  log: Log,
): Promise<Signer | undefined> {
  if (signingKey === undefined) return undefined
  const { signerOf } = await import('../../rules/keys.ts')
  if (signingKey.startsWith('-----BEGIN')) return signerOf(signingKey, 'SERVICE_SIGNING_KEY')
  return readSignerFile(signingKey, folder, text => log('warn', text))
}

/** The key of a PEM file. Throws 400 where it is not a key; warns where others can read it, as secrets are often mounted. */
export async function readSignerFile(
  name: string,
  folder: string,
  warn: (text: string) => void,
): Promise<Signer> {
  const path = resolve(folder, name)
  const text = await promises.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`The key ${name} can't be read: ${reasonOf(error)}.`, error)
  })
  if (await othersMayRead(path)) warn(`others on this machine can read the key ${name}; chmod 600 it`)
  const { signerOf } = await import('../../rules/keys.ts')
  return signerOf(text, name)
}
