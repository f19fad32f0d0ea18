/** `com.amazonaws.dynamodb.v20120810#ThrottlingException:http://…` → `ThrottlingException` */
export const bareErrorName = (type: string): string => type.replace(/^.*#/, '').replace(/:.*$/, '')
