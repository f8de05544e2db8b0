/** Most attempts of a watch to roll back: each may be an action on record, and reasons can come and go. */
export const MOST_ATTEMPTS = 16
