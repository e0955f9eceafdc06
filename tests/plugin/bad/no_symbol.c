/* A library like any other. */
int answer_of_no_plugin(void);
int answer_of_no_plugin(void) { return 42; }
