import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CORE_MODELS, CORE_PART_NAMES, type ModelName } from '../src/models/all/models.ts'
import type { AnyModel, Said } from '../src/models/model.ts'
import type { Input } from '../src/models/all/input.ts'
import { INPUTS as CORE_INPUTS } from '../src/models/all/inputs.ts'
import { ROOT_PATH } from '../src/runtime/root.ts'

type Loaders = Readonly<Record<string, () => Promise<AnyModel>>>

/** A model of the core, or of the `models.ts` of a feature. Only what builds and tests loads models: arktype is slow. */
export async function loadModel(name: ModelName): Promise<AnyModel> {
  const ofCore = (CORE_MODELS as Loaders)[name]
  if (ofCore !== undefined) return ofCore()
  const model = (await modelsOfFeatures()).get(name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model
}

/** What endpoints take, by name: of the core, and of the features. */
export async function loadInputs(): Promise<Readonly<Record<string, Input>>> {
  const ofFeatures = (await featureModules()).map(module => module.INPUTS)
  return Object.assign({}, CORE_INPUTS, ...ofFeatures) as Record<string, Input>
}

/** Names of parts of models by their places: of the core, and of the features. */
export async function loadPartNames(): Promise<Readonly<Record<string, string>>> {
  const ofFeatures = (await featureModules()).map(module => module.PART_NAMES)
  return Object.assign({}, CORE_PART_NAMES, ...ofFeatures) as Record<string, string>
}

async function modelsOfFeatures(): Promise<ReadonlyMap<string, AnyModel>> {
  const modules = await featureModules()
  return new Map(modules.flatMap(({ MODELS = {} }) => Object.entries(MODELS)))
}

interface FeatureModule {
  readonly MODELS?: Readonly<Record<string, AnyModel>>
  readonly INPUTS?: Readonly<Record<string, Input>>
  readonly PART_NAMES?: Readonly<Record<string, string>>
}

let loaded: Promise<readonly FeatureModule[]> | undefined

function featureModules(): Promise<readonly FeatureModule[]> {
  const files = globSync('src/features/*/models.ts', { cwd: ROOT_PATH }).sort()
  loaded ??= Promise.all(
    files.map(file => import(pathToFileURL(join(ROOT_PATH, file)).href) as Promise<FeatureModule>),
  )
  return loaded
}

/** What is said of a model as a whole. */
export function aboutOf(model: AnyModel): string {
  return (model.meta as Said).about!
}
