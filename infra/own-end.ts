import { Fn, type Stack } from 'aws-cdk-lib'

/** Eight characters that no stack had before or will have: the beginning of the UUID at the end of its id. */
export const ownEnd = ({ stackId }: Stack): string => Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))))
