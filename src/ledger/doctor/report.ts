import type { DoctorReport } from '../../models/answers/health.ts'

export type DoctorCheck = DoctorReport['checks'][number]

export function pass(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail }
}

export function fail(name: string, detail: string): DoctorCheck {
  return { name, ok: false, detail }
}
