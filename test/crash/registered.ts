import type { Services } from '../../src/runtime/services.ts'
import { releaseOf } from '../support/services/builders.ts'
import { call } from './programs/support.ts'

/** Registers releases of one agent by their versions, and returns their ids. */
export async function registered(services: Services, versions: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const version of versions) {
    const registration = { artifact: releaseOf({ version }), checksum: 'a'.repeat(64) }
    ids.push((await call(services, 'POST /v1/releases', registration)).body.release_id as string)
  }
  return ids
}
