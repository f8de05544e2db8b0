import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CORE_MODELS, type ModelName } from '../src/models/all/models.ts'
import type { Documented } from '../src/models/docs.ts'
import { ROOT_PATH } from '../src/runtime/root.ts'

type Loaders = Readonly<Record<string, () => Promise<Documented>>>

/** A model of the core, or of the `models.ts` of a feature. Only what builds and tests loads models: arktype is slow. */
export async function loadModel(name: ModelName): Promise<Documented> {
  const ofCore = (CORE_MODELS as Loaders)[name]
  if (ofCore !== undefined) return ofCore()
  const model = (await modelsOfFeatures()).get(name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model
}

let loaded: Promise<ReadonlyMap<string, Documented>> | undefined

function modelsOfFeatures(): Promise<ReadonlyMap<string, Documented>> {
  loaded ??= (async () => {
    const files = globSync('src/features/*/models.ts', { cwd: ROOT_PATH })
    const modules = await Promise.all(
      files.map(file => import(pathToFileURL(join(ROOT_PATH, file)).href) as Promise<{ MODELS: object }>),
    )
    return new Map(modules.flatMap(({ MODELS }) => Object.entries(MODELS) as [string, Documented][]))
  })()
  return loaded
}
