import type { Gate } from '../../src/models/deploys/gate.ts'

/** Tells the verdict to who doesn't read the answer; no cache may keep it. */
export function verdictHeaders({ verdict }: Gate): Record<string, string> {
  return { 'x-service-verdict': verdict, 'cache-control': 'no-store' }
}
