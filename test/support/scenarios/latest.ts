/** A placeholder for the id that was answered last of what a path names. */
export const LATEST = '<latest>'
