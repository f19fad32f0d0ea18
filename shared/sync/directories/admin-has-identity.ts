/** The reason for skipping a person whose email is that of an administrator with an identity of another subject (I4.3). */
export const adminHasIdentity = 'admin_has_identity'
