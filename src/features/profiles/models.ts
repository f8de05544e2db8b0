import { object } from '../../models/model.ts'

export const RemovedProfile = object('The profile is gone.', {
  name: ['string', 'Name of the profile.'],
  removed: ['true', 'Always true.'],
})

export const ProfileList = object('Services by the names that profiles call them.', {
  profiles: object('The profiles.', {
    name: ['string', 'Name of the profile.'],
    url: ['string', 'Where the service is.'],
    has_token: ['boolean', 'Whether its token is stored.'],
  }).array(),
})
