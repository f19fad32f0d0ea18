/** An id of the right form that nothing has. */
export const unknownId = '0198a000-0000-7000-8000-000000000000'
