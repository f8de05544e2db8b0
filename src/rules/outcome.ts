interface Decision {
  readonly policy_passed: boolean
  readonly forced?: true | undefined
}

/** How a decision came out. What passed or was forced moved the pointer; what was blocked moved nothing. */
export function cameOut({ policy_passed, forced }: Decision): 'passed' | 'blocked' | 'forced' {
  if (forced === true) return 'forced'
  return policy_passed ? 'passed' : 'blocked'
}

export const hasMoved = (decision: Decision): boolean => cameOut(decision) !== 'blocked'
