package call_test
