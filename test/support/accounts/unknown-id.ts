/** A valid id that belongs to no object. */
export const unknownId = '0198a000-0000-7000-8000-000000000000'
