/** Grows with every change to the tables. */
export const storeVersion = 5;

export const builtinLogin = 'sandbox';
export const builtinEndpointId = '4001';
