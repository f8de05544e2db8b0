/** What features add to the models and to what endpoints take: a line for each that has a models.ts. */
type Feature =
  | typeof import('../features/advice/models.ts')
  | typeof import('../features/aggregates/models.ts')
  | typeof import('../features/apply/models.ts')
  | typeof import('../features/capabilities/models.ts')
  | typeof import('../features/conditions/models.ts')
  | typeof import('../features/copy/models.ts')
  | typeof import('../features/deliveries/models.ts')
  | typeof import('../features/deploys/models.ts')
  | typeof import('../features/explain/models.ts')
  | typeof import('../features/explore/models.ts')
  | typeof import('../features/groups/models.ts')
  | typeof import('../features/identity/models.ts')
  | typeof import('../features/live/models.ts')
  | typeof import('../features/profiles/models.ts')
  | typeof import('../features/proofs/models.ts')
  | typeof import('../features/retention/models.ts')
  | typeof import('../features/retirements/models.ts')
  | typeof import('../features/rollouts/models.ts')
  | typeof import('../features/scores/models.ts')
  | typeof import('../features/traces/models.ts')
  | typeof import('../features/watch/models.ts')

type All<T> = (T extends unknown ? (all: T) => void : never) extends (all: infer A) => void ? A : never
type FeatureModels = Omit<All<Feature>, 'INPUTS' | 'PART_NAMES'>
type FeatureInputs = All<Extract<Feature, { readonly INPUTS: unknown }>['INPUTS']>

declare module '../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
declare module '../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
