import { type } from 'arktype'
import { documented } from '../../models/docs.ts'

export const removedProfile = documented(type({ name: 'string', removed: 'true' }), {
  title: 'RemovedProfile',
  description: 'The profile is gone.',
  fields: { name: 'Name of the profile.', removed: 'Always true.' },
})

export const profileList = documented(
  type({ profiles: type({ name: 'string', url: 'string', has_token: 'boolean' }).array() }),
  {
    title: 'ProfileList',
    description: 'Services by the names that profiles call them.',
    fields: {
      profiles: 'The profiles.',
      'profiles[].name': 'Name of the profile.',
      'profiles[].url': 'Where the service is.',
      'profiles[].has_token': 'Whether its token is kept.',
    },
  },
)

export const MODELS = { ProfileList: profileList, RemovedProfile: removedProfile } as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
