import { sha256 } from '../../base/bytes.ts'
import { ServiceError } from '../../base/errors.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asJson, asText, asTime, ask, columns, firstRow, together } from '../../sql/query.ts'
import { unknownRelease } from '../../ledger/registry/release_facts.ts'
import type { AttestedPart } from '../feature.ts'
import { readPower } from './power.ts'
import { bomOf } from './rules_bom.ts'

/** The bill of materials of a release as CycloneDX 1.6 in JSON. Throws 404 where there is no such release. */
export async function billOfMaterials(db: Sql, releaseId: string): Promise<string> {
  return (await madeOf(db, releaseId)).bom
}

/** What an attestation vouches for: the capabilities, and the bill of materials, as they are given out. */
export async function attested(db: Sql, releaseId: string): Promise<readonly AttestedPart[]> {
  const { bom, capabilities_sha256 } = await madeOf(db, releaseId)
  const path = `releases/${encodeURIComponent(releaseId)}`
  return [
    { path: `${path}/capabilities`, sha256: capabilities_sha256 },
    { path: `${path}/bom`, sha256: await sha256(bom) },
  ]
}

async function madeOf(
  db: Sql,
  releaseId: string,
): Promise<{ readonly bom: string; readonly capabilities_sha256: string }> {
  const { release, files } = await ask(
    db,
    together({
      release: firstRow(
        sql`SELECT checksum, created_at, artifact_json FROM releases WHERE release_id = ${releaseId}`,
        columns({ checksum: asText, created_at: asTime, artifact_json: asJson<Release> }),
      ),
      files: allRows(
        sql`SELECT path, sha256 FROM release_files WHERE release_id = ${releaseId} ORDER BY path`,
        columns({ path: asText, sha256: asText }),
      ),
    }),
  )
  if (release === undefined) throw new ServiceError(404, unknownRelease(releaseId))
  const { artifact_json: artifact, checksum, created_at } = release
  const { power, text } = readPower(artifact)
  const capabilities_sha256 = await sha256(text)
  const { $schema, bomFormat, specVersion, ...rest } = bomOf({
    release_id: releaseId,
    checksum,
    created_at,
    artifact,
    power,
    capabilities_sha256,
    files,
  })
  const serialNumber = `urn:uuid:${uuidOf(await sha256(JSON.stringify(rest)))}`
  return {
    bom: `${JSON.stringify({ $schema, bomFormat, specVersion, serialNumber, ...rest }, null, 2)}\n`,
    capabilities_sha256,
  }
}

/** A UUID of version 8 (RFC 9562, 5.8) from a hash. */
function uuidOf(hash: string): string {
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
