import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CORE_PART_NAMES, type ModelName } from '../src/models/all/models.ts'
import type { AnyModel, Said } from '../src/models/model.ts'
import type { Input } from '../src/models/all/input.ts'
import { INPUTS as CORE_INPUTS } from '../src/models/all/inputs.ts'
import { ROOT_PATH } from '../src/runtime/root.ts'

const FILES = globSync(['src/models/{answers,commands,deploys,documents}/*.ts', 'src/features/*/models.ts'], {
  cwd: ROOT_PATH,
})
  .sort()
  .map(file => ({ file, text: readFileSync(join(ROOT_PATH, file), 'utf8') }))

/** A model by the name that it is exported by. Only what builds and tests loads models: arktype is slow. */
export async function loadModel(name: ModelName): Promise<AnyModel> {
  const found = FILES.find(({ text }) => text.includes(`export const ${name} = `))
  if (found === undefined) throw new Error(`there is no model ${name}`)
  return (await load<Record<ModelName, AnyModel>>(found.file))[name]
}

function load<T>(file: string): Promise<T> {
  return import(pathToFileURL(join(ROOT_PATH, file)).href) as Promise<T>
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

interface FeatureModule {
  readonly INPUTS?: Readonly<Record<string, Input>>
  readonly PART_NAMES?: Readonly<Record<string, string>>
}

let loaded: Promise<readonly FeatureModule[]> | undefined

function featureModules(): Promise<readonly FeatureModule[]> {
  loaded ??= Promise.all(
    FILES.filter(({ file }) => file.startsWith('src/features/')).map(({ file }) => load<FeatureModule>(file)),
  )
  return loaded
}

/** What is said of a model as a whole. */
export function aboutOf(model: AnyModel): string {
  return (model.meta as Said).about!
}
