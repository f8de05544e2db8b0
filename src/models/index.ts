import type { Checked } from './check.ts'
import type { AnyModel, ModelDocs } from './docs.ts'

/** Documents that a request may carry, each loaded when first needed: arktype takes long to start. */
const LOADERS = {
  Release: async () => {
    const { Release, releaseDocs } = await import('./release.ts')
    return { model: Release, docs: releaseDocs }
  },
  RunEvent: async () => {
    const { RunEvent, runEventDocs } = await import('./run_event.ts')
    return { model: RunEvent, docs: runEventDocs }
  },
  PricingTable: async () => {
    const { PricingTable, pricingTableDocs } = await import('./pricing.ts')
    return { model: PricingTable, docs: pricingTableDocs }
  },
  PricingCatalog: async () => {
    const { PricingCatalog, pricingCatalogDocs } = await import('./catalog.ts')
    return { model: PricingCatalog, docs: pricingCatalogDocs }
  },
  Policy: async () => {
    const { Policy, policyDocs } = await import('./policy.ts')
    return { model: Policy, docs: policyDocs }
  },
  WorkspaceConfig: async () => {
    const { WorkspaceConfig, workspaceConfigDocs } = await import('./workspace.ts')
    return { model: WorkspaceConfig, docs: workspaceConfigDocs }
  },
  WorkspacePublic: async () => {
    const { WorkspacePublic, workspacePublicDocs } = await import('./workspace.ts')
    return { model: WorkspacePublic, docs: workspacePublicDocs }
  },
} satisfies Record<string, () => Promise<{ model: AnyModel; docs: ModelDocs }>>

export type ModelName = keyof typeof LOADERS

/** The validated value of a model. */
export type ModelValue<N extends ModelName> = Awaited<ReturnType<(typeof LOADERS)[N]>>['model']['infer']

/** A model and what its JSON Schema says beyond it. */
export function loadModel(name: ModelName): Promise<{ model: AnyModel; docs: ModelDocs }> {
  return LOADERS[name]()
}

/** Validates a value against a model by name, and applies its defaults. */
export async function checkDocument<N extends ModelName>(
  name: N,
  value: unknown,
): Promise<Checked<ModelValue<N>>> {
  const [{ check }, { model }] = await Promise.all([import('./check.ts'), loadModel(name)])
  return check(model, value)
}
