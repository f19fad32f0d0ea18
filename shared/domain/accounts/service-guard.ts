import type { Key } from '../../table/keys.ts'

/**
 * A value that is unique in the whole service; the item there names the account that holds it. The id of a directory stands
 * for its account where nobody says which it is (I4.2).
 */
export const serviceGuard = (name: 'slug' | 'key' | 'idp_directory', value: string): Key => ({
  pk: `service#${name}#${value}`,
  sk: 'unique',
})
