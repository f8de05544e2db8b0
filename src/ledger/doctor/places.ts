import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { Sql } from '../../sql/port.ts'
import { activePolicy } from '../registry/policies.ts'
import { unknownInPolicy, unknownInWorkspace } from '../registry/unknown_places.ts'
import type { DoctorCheck } from './report.ts'

/** Whether the rules of the policy and of service.yaml are for agents and environments that there are. */
export async function placesCheck(db: Sql, workspace: WorkspaceConfig): Promise<DoctorCheck[]> {
  const unknown = [
    ...(await unknownInPolicy(db, await activePolicy(db), workspace)).map(text => `policy: ${text}`),
    ...(await unknownInWorkspace(db, workspace)).map(text => `service.yaml: ${text}`),
  ]
  if (unknown.length === 0) return []
  return [{ name: 'places', ok: true, detail: unknown.join('; '), warning: true }]
}
