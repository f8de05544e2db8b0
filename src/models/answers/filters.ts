const ENVIRONMENT = ['string', "Environment; default the workspace's."] as const

export const RUN_FILTERS = {
  environment: ENVIRONMENT,
  tenant_id: ['string | null', 'Tenant.'],
  task_id: ['string | null', 'Task.'],
} as const

/** Which runs of two releases are compared. */
export const COMPARED_FILTERS = {
  environment: ENVIRONMENT,
  tenant_id: ['string | null', 'Tenant; null means all.'],
  task_id: ['string | null', 'Task; null means all.'],
} as const
