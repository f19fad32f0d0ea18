const maxLength = 255

/** Checks that keys can hold a provider's id: at most 255 characters of well-formed Unicode. */
export const isStorableId = (id: string): boolean => id.length <= maxLength && id.isWellFormed()
