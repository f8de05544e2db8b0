import { badRequest } from '../../base/errors.ts'
import { undeclaredText } from '../../rules/environments.ts'
import type { Ledger } from './ledger.ts'

/** Throws 400 for an environment that service.yaml doesn't declare, where it declares some. */
export function refuseUndeclared({ workspace }: Pick<Ledger, 'workspace'>, environment: string): void {
  const problem = undeclaredText(workspace, environment)
  if (problem !== undefined) throw badRequest(problem)
}
