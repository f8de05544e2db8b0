import type { Feature } from '../features/feature.ts'

/** Evaluates places in turn, so that the board has answers. It imports several features, which no feature may. */
export const places: Feature = {
  name: 'places',
  upkeep: async () => (await import('../../handlers/deploys/_places.ts')).keepPlaces,
}
