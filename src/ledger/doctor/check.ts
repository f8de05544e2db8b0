import type { Sql } from '../../sql/port.ts'
import type { AnyFeature, Progress } from '../world/ledger.ts'
import type { DoctorReport } from '../../models/answers/health.ts'

/** A read-only check of the doctor. */
export interface Check {
  readonly name: string
  /** Reads everything that it is about, so it is asked for. */
  readonly deep?: boolean
  readonly run: (db: Sql, options: CheckOptions) => Promise<DoctorCheck | DoctorCheck[]>
}

export interface CheckOptions {
  readonly onProgress?: Progress | undefined
  /** What there is in addition to the core. */
  readonly features: readonly AnyFeature[]
}

export type DoctorCheck = DoctorReport['checks'][number]

export function pass(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail }
}

export function fail(name: string, detail: string): DoctorCheck {
  return { name, ok: false, detail }
}
