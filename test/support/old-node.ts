/** What a server says at start if the Node of this machine lacks fixes. */
export const OLD_NODE = /^Node [\d.]+ (gets no|lacks) fixes/
